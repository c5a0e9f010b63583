/** Arrays of numbers as the index is made of. */
export type Numbers = Float64Array | Int32Array | Int16Array | Uint32Array | Uint8Array;

/** An array of numbers that grows at its end. */
export interface Growing<A extends Numbers> {
  readonly length: number;
  push(value: number): void;
  /** What there is, without a copy. */
  array(): A;
}

const FIRST_LENGTH = 1_024;

export function growing<A extends Numbers>(make: (length: number) => A): Growing<A> {
  let numbers = make(FIRST_LENGTH);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      if (length === numbers.length) {
        const larger = make(numbers.length * 2);
        larger.set(numbers);
        numbers = larger;
      }
      numbers[length++] = value;
    },
    array: () => numbers.subarray(0, length) as A,
  };
}
