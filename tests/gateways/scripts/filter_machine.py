"""The kernel's machine for seccomp filters, as far as ours use it, to try those of other processors."""

import struct

EQUAL, AT_LEAST, ANY_BIT = 0x15, 0x35, 0x45


def decide(program: bytes, architecture: int, number: int, arguments: tuple[int, ...]) -> int:
    """What the filter returns for one system call."""
    values = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("<IIQ6Q", number, architecture, 0, *values)
    steps = list(struct.iter_unpack("=HBBI", program))
    register = position = 0
    while True:
        code, jump_if, jump_if_not, operand = steps[position]
        position += 1
        match code:
            case 0x20:  # Load.
                (register,) = struct.unpack_from("<I", data, operand)
            case 0x06:  # Return.
                return int(operand)
            case _:
                holds = {
                    EQUAL: register == operand,
                    AT_LEAST: register >= operand,
                    ANY_BIT: bool(register & operand),
                }[code]
                position += jump_if if holds else jump_if_not
