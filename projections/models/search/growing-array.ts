/** The typed arrays of the index. */
export type Numbers = Float64Array | Int32Array | Int16Array | Uint32Array | Uint8Array;

/** A typed array that grows at its end. */
export interface GrowingArray<A extends Numbers> {
  readonly length: number;
  push(value: number): void;
  /** The numbers so far, not copied. */
  array(): A;
}

const FIRST_LENGTH = 1_024;

export function growingArray<A extends Numbers>(make: (length: number) => A): GrowingArray<A> {
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
