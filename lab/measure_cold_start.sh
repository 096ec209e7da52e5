#!/usr/bin/env bash
# Time from nothing to the first result (init: delegate made and applied, tensors
# allocated; first: the first Invoke), in fresh processes: without a start-up
# cache, on the start that writes one, and with it; with the driver's own disk
# cache off and on. For docs/cold_start.md.
#
#   lab/measure_cold_start.sh BENCHMARK_MODEL MODEL.tflite...
#
# Environment: RUNS (fresh processes a figure, default 5; medians are printed),
# OPTIONS (more --gles_options), STAGES=1 (also print where a warm start's time
# goes), DRIVER_CACHE ("off on" by default; both NVIDIA's and Mesa's variables
# are set). OPTIONS=startup:direct and startup:tiered compare the two ways to start.
set -uo pipefail
if [[ $# -lt 2 || $1 == -h || $1 == --help ]]; then
  sed -n '2,/^[^#]/s/^# \?//p' "$0"
  [[ $# -gt 0 && $1 == -* ]]
  exit
fi

benchmark="$1"
shift
runs="${RUNS:-5}"
options="${OPTIONS:-}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

driver_cache() { # off|on: an empty one of our own
  rm -rf "$work/driver"
  mkdir -p "$work/driver"
  export __GL_SHADER_DISK_CACHE_PATH="$work/driver" MESA_SHADER_CACHE_DIR="$work/driver"
  export MESA_GLSL_CACHE_DIR="$work/driver"
  if [[ $1 == off ]]; then
    export __GL_SHADER_DISK_CACHE=0 MESA_SHADER_CACHE_DISABLE=true
    export MESA_GLSL_CACHE_DISABLE=true
  else
    export __GL_SHADER_DISK_CACHE=1 MESA_SHADER_CACHE_DISABLE=false
    export MESA_GLSL_CACHE_DISABLE=false
  fi
}

# One fresh process. $1: its --gles_options. Prints "init first peak_mib".
one() {
  "$benchmark" --graph="$model" --use_gles --num_runs=1 --warmup_runs=1 \
    --print_gles_report --gles_options="$1" >"$work/out" 2>"$work/err" ||
    tail -n 3 "$work/err" >&2
  awk '$1 == "gles" { print $2, $3, $10 }' "$work/out"
}

# Medians of init, first, init + first, and the peak, of lines "init first peak".
medians() {
  awk '{ init[NR] = $1; first[NR] = $2; sum[NR] = $1 + $2; peak[NR] = $3 }
    function median(v, n,   i, j, t) {
      for (i = 2; i <= n; i++)
        for (j = i; j > 1 && v[j] < v[j - 1]; j--) { t = v[j]; v[j] = v[j-1]; v[j-1] = t }
      return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
    }
    END { if (NR) printf "%.1f %.1f %.1f %d\n", median(init, NR), median(first, NR),
                         median(sum, NR), median(peak, NR); else print "- - 0 -" }'
}

# $1: none, write or warm.
figure() {
  local cache="serialization_dir:$work/cache;model_token:model;"
  mkdir -p "$work/cache"
  if [[ $1 == warm ]]; then
    rm -f "$work"/cache/*
    one "$cache$options" >"$work/warm_up"
  fi
  for ((i = 0; i < runs; ++i)); do
    case $1 in
      none) one "$options" ;;
      write)
        rm -f "$work"/cache/*
        one "$cache$options"
        ;;
      warm) one "$cache$options" ;;
    esac
  done | medians
}

"$benchmark" --list_devices 2>/dev/null | head -n 3
printf '%-40s %-6s | %31s | %31s | %31s | %6s %s\n' model driver "none: init first sum MiB" \
  "writing: init first sum MiB" "warm: init first sum MiB" less state
for model in "$@"; do
  for state in ${DRIVER_CACHE:-off on}; do
    driver_cache "$state"
    # The driver's own cache, where it is on, is as warm as it gets (Mesa writes it
    # from a thread that may not finish the first time).
    for fill in 1 2; do
      [[ $state == off ]] || one "$options" >"$work/fill$fill"
    done
    none="$(figure none)"
    write="$(figure write)"
    warm="$(figure warm)"
    less="$(awk -v a="$(cut -d' ' -f3 <<<"$none")" -v b="$(cut -d' ' -f3 <<<"$warm")" \
      'BEGIN { if (a > 0) printf "%.0f%%", 100 * (1 - b / a); else print "-" }')"
    # The report of the last warm start.
    said="$(sed -n 's/^ *"state": "\(.*\)".*/\1/p' "$work/out" | head -n 1)"
    # shellcheck disable=SC2086  # words are columns
    printf '%-40s %-6s | %8s %8s %8s %4s | %8s %8s %8s %4s | %8s %8s %8s %4s | %6s %s\n' \
      "$(basename "$model" .tflite)" "$state" $none $write $warm "$less" "$said"
    if [[ ${STAGES:-0} == 1 ]]; then
      awk '/"stages_ms"/ { on = 1; next } on && /}/ { exit }
           on { gsub(/[ ",]/, ""); printf "    %s", $0 } END { print "" }' "$work/out"
    fi
  done
done
