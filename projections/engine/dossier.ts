import { encodeFrame, type FrameParts, frameHash, frameParts } from './frame/frame.ts';
import {
  type Document,
  type LookupKey,
  lookupKeysText,
  type SourceRegistry,
  storableLookupKeys,
} from './projection.ts';
import { type ProvenanceEntry, provenanceText } from './provenance.ts';

/** A dossier before encoding. `generated_at` is added when it is served. */
export interface Dossier {
  /** The members before `provenance`, in the served order. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly provenance: readonly ProvenanceEntry[];
  /** For a dossier that is a member of a larger object. */
  readonly within?: {
    /** The members of that object before it. */
    readonly members: Readonly<Record<string, unknown>>;
    readonly name: string;
  };
}

/** A stored dossier; `sealFrame` makes it servable. */
export interface StoredDossier {
  /** Equal hashes mean equal dossiers. */
  readonly hash: Buffer;
  readonly frame: Buffer;
}

/** The document of a dossier and of the names under which it is looked up. */
export function dossierDocument(
  dossier: Dossier,
  keys: readonly LookupKey[],
  registry: SourceRegistry,
): Document {
  const lookupKeys = storableLookupKeys(keys);
  const parts = partsOf(dossier, registry);
  return {
    hash: frameHash(parts, lookupKeysText(lookupKeys)),
    body: () => encodeFrame(parts),
    lookupKeys,
  };
}

/** A dossier that is not stored, in the form of stored ones. */
export function frameDossier(dossier: Dossier, registry: SourceRegistry): StoredDossier {
  const parts = partsOf(dossier, registry);
  return { hash: frameHash(parts, ''), frame: encodeFrame(parts) };
}

function partsOf({ members, provenance, within }: Dossier, registry: SourceRegistry): FrameParts {
  const own = openObject(members);
  return frameParts({
    head: Buffer.from(within === undefined ? own : `${openObject(within.members)}"${within.name}":${own}`),
    provenance: provenance.map((entry) => ({
      text: provenanceText(entry),
      sourceId: registry.idOf(entry.of.source),
    })),
    depth: within === undefined ? 1 : 2,
  });
}

/** The JSON text of an object, open for another member. */
const openObject = (members: Readonly<Record<string, unknown>>): string =>
  `${JSON.stringify(members).slice(0, -1)},`;
