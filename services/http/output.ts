import type { Socket } from 'node:net';

/** Watches how fast a client reads what its connection has to write. */
export interface OutputWatch {
  /** Whether output has waited for `stallMs`, and the client read less than the minimum of it. */
  isStalled(now: number): boolean;
}

interface StallLimit {
  readonly minBytes: number;
  readonly stallMs: number;
}

/** The bytes that a handle was given, and those of them that the kernel has not taken. Node shows neither on the socket. */
interface Handle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

export function watchOutput(socket: Socket, { minBytes, stallMs }: StallLimit): OutputWatch {
  /** When output began to wait, and the bytes that had left then. */
  let begun: { readonly at: number; readonly bytes: number } | null = null;
  return {
    isStalled(now) {
      const { writableLength, _handle: handle } = socket as Socket & { readonly _handle?: Handle | null };
      // An injected request has no real socket.
      if (!writableLength || !handle) {
        begun = null;
        return false;
      }
      const bytes = handle.bytesWritten - handle.writeQueueSize;
      if (begun !== null && now - begun.at < stallMs) return false;
      const isStalled = begun !== null && bytes - begun.bytes < minBytes;
      begun = { at: now, bytes };
      return isStalled;
    },
  };
}
