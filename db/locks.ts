/** The numbers of all advisory locks of the system, so that no two purposes share one. */
export const LOCKS = {
  /** Shared by batches that mark documents dirty; exclusive while the list of versions changes. */
  versions: 7_301,
  /** Shared by projectors; exclusive when a source delivers for the first time. */
  delivery: 7_302,
  /** First of two numbers; the second is the version and bucket of a projector. */
  bucket: 7_303,
  /** First of two numbers; the second is a version. Shared by its builders; exclusive while it is dropped. */
  build: 7_304,
  /** First of two numbers; the second is a version. Held while its build is planned or finished. */
  finish: 7_305,
  /** First of two numbers; the second is the hash of a projection's name. Held while another version of it becomes live. */
  switch: 7_306,
  /** First of two numbers; the second is the hash of a mirror key. Held while dead letters of the key are replayed. */
  replay: 7_307,
  /** First of two numbers; the second is the hash of a mirror key. Held while a row moves from that key to another. */
  move: 7_308,
  /** Held while the rows are swept that a connector's snapshot lacks. */
  sweep: 7_309,
  /** First of two numbers; the second is the hash of a job's name. Held while the job runs. */
  job: 7_310,
  /** Held while a worker declares the schedules of its jobs. */
  schedules: 7_311,
  /** Held while a generation of the search index is built, and while unused ones are dropped. */
  searchGeneration: 7_320,
  /** Held while changed documents are written into the search cluster. */
  searchChanges: 7_321,
} as const;
