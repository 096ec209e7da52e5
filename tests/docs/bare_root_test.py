"""README's commands on a Debian that has nothing else, as its reader runs them, in order.

    tests/docs/bare_root_test.py [ROOT]

Makes a root of Debian 12 (debootstrap: minbase, git, ca-certificates; or a copy of the folder ROOT that
it made before), clones this repository into it, and runs README's blocks in one shell: commands, and
Python in the environment that the commands before it made. A block `text` is what the block before it
prints. As root, with debootstrap, 6 GB, Debian's archive and the registries; the workflow CI runs it.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
AUTHORITIES = "etc/ssl/certs/ca-certificates.crt"
MARK = "== README, block"


def script_of(text):
    r"""The blocks as one script of bash, and what each prints, by its number.

    >>> script_of("```\n./dev a\n```\n```c\nx\n```\n```python\nprint(1)\n```\n```text\n1\n```\n")
    ("echo '== README, block 1'\n./dev a\necho '== README, block 2'\npython - <<'END'\nprint(1)\nEND\n", {2: '1\n'})
    """
    script, printed, number = "", {}, 0
    for language, body in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if language == "text":
            printed[number] = body
        if language not in ("", "python"):
            continue
        number += 1
        script += f"echo '{MARK} {number}'\n" + (f"python - <<'END'\n{body}END\n" if language else body)
    return script, printed


def run(*command, **how):
    return subprocess.run(command, check=True, **how)


def main():
    script, printed = script_of((REPOSITORY / "README.md").read_text(encoding="utf-8"))
    root = pathlib.Path(tempfile.mkdtemp(prefix="bare_root."))
    root.chmod(0o755)  # some tests run as another user
    try:
        if sys.argv[1:]:
            run("cp", "-a", f"{sys.argv[1]}/.", root)
        else:
            run("debootstrap", "--variant=minbase", "--include=git,ca-certificates", "bookworm", root)
        shutil.copy(f"/{AUTHORITIES}", root / AUTHORITIES)  # this machine may know more
        shutil.copy("/etc/resolv.conf", root / "etc")
        run("git", "clone", "--quiet", REPOSITORY, root / "root/gles_delegate")
        run("mount", "-t", "proc", "proc", root / "proc")
        run("mount", "-t", "devpts", "-o", "newinstance,ptmxmode=0666", "devpts", root / "dev/pts")
        output = ""
        with subprocess.Popen(
                ["chroot", root, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "bash",
                 "-euo", "pipefail", "-c", "cd /root/gles_delegate\n" + script],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as shell:
            for line in shell.stdout:
                print(line, end="", flush=True)
                output += line
        wrong = shell.returncode != 0
        for number, words in printed.items():
            if words not in output.partition(f"{MARK} {number}\n")[2].partition(MARK)[0]:
                print(f"FAILED: block {number} does not print {words}")
                wrong = True
    finally:
        subprocess.run(["umount", root / "dev/pts", root / "proc"], check=False,
                       stderr=subprocess.DEVNULL)
        run("rm", "-rf", "--one-file-system", root)
    print("bare_root_test:", "FAILED" if wrong else "passed")
    sys.exit(wrong)


if __name__ == "__main__":
    main()
