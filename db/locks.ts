/** Advisory locks of the whole system, so that no two meanings share a number. */
export const LOCKS = {
  /** Shared by batches that mark documents; exclusive while the list of versions changes. */
  versions: 7_301,
  /** Shared by projectors; exclusive when a source delivers for the first time. */
  delivery: 7_302,
  /** First of two numbers; the second is the version and bucket of a projector. */
  bucket: 7_303,
  /** First of two numbers; the second is the projection that is built. */
  build: 7_304,
} as const;
