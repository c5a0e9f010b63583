import type { Consumer, Contract } from './contract.ts';

/** The consumers of the contract, by what tells them. */
export interface Consumers {
  /** Whose pages are of this origin, written exactly so. */
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
