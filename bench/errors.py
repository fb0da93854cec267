"""The two ways in which a run can end badly for its user, each told in one line."""


class InputError(ValueError):
    """Something the user gave is wrong: the message names the value and the way out.

    The command line prints the message alone and exits with code 2. A message never holds a
    record's text or a span's value: it names files, lines, record ids, labels and offsets.
    """


class NoRecordsError(InputError):
    """What was read is sound, but holds no record."""


class RunError(RuntimeError):
    """The input was fine, but a result would not have meant what it says (exit code 1).

    Raised, for example, by a defense that was found to change nothing.
    """
