# Where a long piece of ./dev's work is: on a terminal one line that is redrawn, with what is
# done, how fast and how long still, as the tools' own (tools/common/progress.h); in a file, or
# where CI=true, the commands' plain lines, and one a minute that has none. Nothing is shown in the
# first two seconds.
# Sourced by ./dev.
# shellcheck shell=bash

shows_progress() { [[ -t 2 && ${TERM:-dumb} != dumb && ${CI:-} != true ]]; }

# duration SECONDS: "12 s", "3 min 5 s", "1 h 4 min".
duration() {
  local s="$1"
  if ((s < 60)); then
    echo "$s s"
  elif ((s < 3600)); then
    echo "$((s / 60)) min $((s % 60)) s"
  else
    echo "$((s / 3600)) h $((s / 60 % 60)) min"
  fi
}

milliseconds() {
  local now="${EPOCHREALTIME/[.,]/}"
  echo "$((now / 1000))"
}

# progress_text DONE TOTAL UNIT MILLISECONDS:
# "120 of 410 steps, 0.6 a second, 8 min 3 s left".
progress_text() {
  local done="$1" total="$2" unit="$3" ms="$4" rate
  local text="$done of $total $unit"
  if ((done > 0 && ms > 0)); then
    rate=$((done * 10000 / ms))  # tenths
    if ((rate < 100)); then
      rate="$((rate / 10)).$((rate % 10))"
    else
      rate=$((rate / 10))
    fi
    text+=", $rate a second, $(duration $(((total - done) * ms / done / 1000))) left"
  fi
  echo "$text"
}

# The functions below share follow()'s variables.

follow_clear() {
  [[ $drawn == no ]] || printf '\r\033[K' >&2
  drawn=no
}

follow_draw() {
  local now ms line full
  now="$(milliseconds)"
  if [[ $shows == no ]]; then
    ((now - shown >= ${SILENCE_MS:-60000})) || return 0
    shown="$now"
    printf '%s, %s\n' "$label" "$(duration $(((now - started) / 1000)))" >&2
    return 0
  fi
  ((now - started >= 2000 && now - shown >= 200)) || return 0
  shown="$now"
  ms=$((now - begin))
  if ((total > 0)); then
    full=$((24 * done / total))
    printf -v line '%*s' "$full" ''
    line="[${line// /#}"
    while ((${#line} < 25)); do line+=.; done
    line+="] $(progress_text "$done" "$total" "$unit" "$ms")  $next"
  else
    line="$label, $(duration $((ms / 1000)))"
  fi
  # A line that wraps could not be taken back.
  printf '\r\033[K%s' "${line:0:columns-1}" >&2
  drawn=yes
}

# follow_at DONE TOTAL UNIT NEXT. Another total or unit is another piece of work.
follow_at() {
  [[ $2 == "$total" && $3 == "$unit" ]] || begin="$(milliseconds)"
  done="$1" total="$2" unit="$3" next="$4"
  follow_draw
}

follow_line() {
  local line="$1"
  if [[ $line =~ ^(dl|pm)status:[^:]*:([0-9]+)[^:]*:(.*) ]]; then  # apt's APT::Status-Fd
    local what='percent fetched'
    [[ ${BASH_REMATCH[1]} == dl ]] || what='percent installed'
    follow_at "${BASH_REMATCH[2]}" 100 "$what" "${BASH_REMATCH[3]}"
  elif [[ $line =~ ^@of\ ([0-9]+)\ (.*) ]]; then  # of ./dev's own loops: "@of 120 files",
    follow_at 0 "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" ""
  elif [[ $line =~ ^@did\ ([0-9]+)$ ]]; then  # and "@did 4"
    follow_at $((done + BASH_REMATCH[1])) "$total" "$unit" ""
  elif [[ $shows == yes && $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]]; then  # ninja's
    follow_at "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" steps "${BASH_REMATCH[3]}"
  else
    follow_clear
    printf '%s\n' "$line" >&2
    [[ $shows == yes ]] || shown="$(milliseconds)"
  fi
}

# follow LABEL: shows what it reads. Ctrl-C is the writer's affair: follow() reads on until the
# writer has taken back what is half done, and says how far that came.
follow() {
  trap '' INT
  local label="$1" shows=no drawn=no columns=80 done=0 total=0 unit="" next="" part="" line status
  local started begin shown
  started="$(milliseconds)"
  begin="$started"
  shown="$started"
  if shows_progress; then
    shows=yes
    read -r _ columns < <(stty size <&2 2>/dev/null) || columns=80
    ((columns > 1)) || columns=80
  fi
  while true; do
    status=0
    IFS= read -r -t 1 line || status=$?
    part+="$line"
    if ((status > 128)); then  # a second in which no line ended
      follow_draw
      continue
    fi
    [[ $status -ne 0 && -z $part ]] || follow_line "$part"
    part=""
    ((status == 0)) || break
  done
  follow_clear
  if [[ $shows == yes && $unit == steps && $done -lt $total ]]; then
    printf '%d of %d steps were done\n' "$done" "$total" >&2
  fi
}

# with_progress LABEL COMMAND...: runs it, and shows its output on stderr.
with_progress() {
  local label="$1"
  shift
  "$@" 2>&1 | follow "$label"
}
