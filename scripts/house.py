# SPDX-License-Identifier: Apache-2.0
"""What the check scripts share: the files of the tree, and how a check reports."""
import pathlib
import re
import subprocess
import sys

LIBRARY = ("include", "src", "adapters", "cluster", "nginx", "cli")
COMMENT_OR_STRING = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.DOTALL)


def files(root, suffixes, folders=None):
    """The files of the tree with one of the suffixes, as paths below root; nothing ignored, nothing built."""
    root = pathlib.Path(root)
    try:
        listing = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        # A release archive has no repository.
        listing = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]
    found = [pathlib.PurePath(name) for name in sorted(filter(None, listing))]
    return [
        path
        for path in found
        if path.suffix in suffixes
        and path.parts[0] != "build"
        and (folders is None or path.parts[0] in folders)
        and (root / path).is_file()
    ]


def text_of(root, path):
    return (pathlib.Path(root) / path).read_text(encoding="utf-8")


def without_comments(text):
    """The text with comments and strings blanked out; the lines keep their numbers."""
    return COMMENT_OR_STRING.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def report(what, count, problems):
    """Prints the problems and ends the script: 1 when there are any, or when nothing was looked at."""
    for problem in problems:
        print(problem)
    if count == 0:
        problems = [*problems, "nothing"]
        print("nothing was looked at")
    print(f"{what}: {count} looked at, {len(problems)} wrong")
    sys.exit(1 if problems else 0)
