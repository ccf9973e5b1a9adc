"""A deflate stream (RFC 1951) as the list of what it says: literals, and copies of
a length from a distance. Only as much as tells two streams apart."""

LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
           258]
LENGTH_BITS = [0] * 8 + [bits for bits in range(1, 6) for _ in range(4)] + [0]
DISTANCES = [1, 2, 3, 4] + [(2 + i % 2) * 2 ** (i // 2 - 1) + 1 for i in range(4, 30)]
DISTANCE_BITS = [0, 0, 0, 0] + [i // 2 - 1 for i in range(4, 30)]
ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
END = 256


class Bits:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        value = 0
        for i in range(count):
            value |= (self.data[self.at >> 3] >> (self.at & 7) & 1) << i
            self.at += 1
        return value

    def symbol(self, codes):
        code, length = 1, 0
        while code not in codes:
            code = code << 1 | self.take(1)
            length += 1
            if length > 15:
                raise ValueError("no such code")
        return codes[code]


def codes_of(lengths):
    """Codes, with a one before them, to symbols."""
    codes, code = {}, 0
    for length in range(1, 16):
        for symbol, of_symbol in enumerate(lengths):
            if of_symbol == length:
                codes[1 << length | code] = symbol
                code += 1
        code <<= 1
    return codes


def dynamic_codes(bits):
    literal_count, distance_count, order_count = bits.take(5) + 257, bits.take(5) + 1, bits.take(4) + 4
    lengths_of_lengths = [0] * 19
    for i in range(order_count):
        lengths_of_lengths[ORDER[i]] = bits.take(3)
    codes = codes_of(lengths_of_lengths)
    lengths = []
    while len(lengths) < literal_count + distance_count:
        symbol = bits.symbol(codes)
        if symbol < 16:
            lengths.append(symbol)
        elif symbol == 16:
            lengths += lengths[-1:] * (3 + bits.take(2))
        else:
            lengths += [0] * (3 + bits.take(3) if symbol == 17 else 11 + bits.take(7))
    return codes_of(lengths[:literal_count]), codes_of(lengths[literal_count:])


def tokens(data):
    """("stored", bytes), ("literal", byte), ("copy", length, distance) and ("block", kind) in their order."""
    bits, found, last = Bits(data), [], 0
    while not last:
        last, kind = bits.take(1), bits.take(2)
        found.append(("block", kind))
        if kind == 0:
            bits.at += -bits.at % 8
            size = bits.take(16)
            bits.take(16)
            start = bits.at >> 3
            found.append(("stored", data[start:start + size]))
            bits.at += 8 * size
            continue
        if kind == 1:
            literals, distances = codes_of([8] * 144 + [9] * 112 + [7] * 24 + [8] * 8), codes_of([5] * 30)
        else:
            literals, distances = dynamic_codes(bits)
        while (symbol := bits.symbol(literals)) != END:
            if symbol < END:
                found.append(("literal", symbol))
                continue
            length = LENGTHS[symbol - 257] + bits.take(LENGTH_BITS[symbol - 257])
            symbol = bits.symbol(distances)
            found.append(("copy", length, DISTANCES[symbol] + bits.take(DISTANCE_BITS[symbol])))
    return found
