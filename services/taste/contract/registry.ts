import type { Consumer, Contract } from './contract.ts';

/** The consumers of the contract, by id and by origin. */
export interface Consumers {
  /** The consumer whose origin equals this text exactly. */
  byOrigin(origin: string): Consumer | null;
  byId(id: string): Consumer | null;
}

export function consumersOf({ consumers }: Contract): Consumers {
  const origins = new Map(consumers.map((consumer) => [consumer.origin, consumer]));
  const ids = new Map(consumers.map((consumer) => [consumer.id, consumer]));
  return {
    byOrigin: (origin) => origins.get(origin) ?? null,
    byId: (id) => ids.get(id) ?? null,
  };
}
