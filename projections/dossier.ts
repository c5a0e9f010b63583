import { encodeFrame, type FrameParts, frameHash, frameParts } from './frame/frame.ts';
import { type Address, type Document, type SourceRegistry, storableAddresses } from './projection.ts';
import { type ProvenanceEntry, provenanceText } from './provenance.ts';

/** A dossier before it is written out; `generated_at` joins it when it is served. */
export interface Dossier {
  /** What comes before `provenance`, in the order in which it is served. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly provenance: readonly ProvenanceEntry[];
  /** Of a dossier that is served as a member of a larger object. */
  readonly within?: {
    /** What stands in that object before it. */
    readonly members: Readonly<Record<string, unknown>>;
    readonly name: string;
  };
}

/** A dossier as stored: see `frame.ts` for how it is served. */
export interface StoredDossier {
  /** Identifies the content; equal hashes mean equal dossiers. */
  readonly hash: Buffer;
  readonly frame: Buffer;
}

/** The document of a dossier and of the names under which it is looked up. */
export function dossierDocument(
  dossier: Dossier,
  claims: readonly Address[],
  registry: SourceRegistry,
): Document {
  const addresses = storableAddresses(claims);
  const parts = partsOf(dossier, registry);
  return {
    hash: frameHash(parts, JSON.stringify(addresses)),
    body: () => encodeFrame(parts),
    addresses,
  };
}

/** A dossier that nothing is stored of, in the form of those that are. */
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
      sourceId: registry.idOf(entry.source),
    })),
    depth: within === undefined ? 1 : 2,
  });
}

/** An object with members as JSON text, up to where another member may follow. */
const openObject = (members: Readonly<Record<string, unknown>>): string =>
  `${JSON.stringify(members).slice(0, -1)},`;
