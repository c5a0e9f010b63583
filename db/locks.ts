/** Advisory locks of the whole system, so that no two meanings share a number. */
export const LOCKS = {
  /** Shared by batches that mark documents; exclusive while the list of versions changes. */
  versions: 7_301,
  /** Shared by projectors; exclusive when a source delivers for the first time. */
  delivery: 7_302,
  /** First of two numbers; the second is the version and bucket of a projector. */
  bucket: 7_303,
  /** First of two numbers; the second is a version. Shared by who builds it; exclusive for who drops it. */
  build: 7_304,
  /** First of two numbers; the second is a version. Held by who plans it, or brings its build to an end. */
  finish: 7_305,
  /** First of two numbers; the second is the hash of a projection's name. Held while another version of it is put in place. */
  switch: 7_306,
  /** First of two numbers; the second is the hash of a mirror key. Held while dead letters of the key are sent again. */
  replay: 7_307,
  /** First of two numbers; the second is the hash of a job's name. Held while the job runs. */
  job: 7_310,
  /** Held while the schedules of jobs are brought to the declared ones. */
  jobSchedules: 7_311,
  /** Held while a generation of the search index is built, and while those that nobody needs are dropped. */
  searchGeneration: 7_320,
} as const;
