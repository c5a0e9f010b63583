/** Why a process is unhealthy or not ready. */
export interface Cause {
  /** The failing part, as in `database`. */
  readonly what: string;
  /** When it was first found, ISO 8601. */
  readonly since: string;
  readonly detail: string;
}

/** A cause without its time. */
export type Finding = Omit<Cause, 'since'>;

/** Adds to each finding when its part was first found; forgets a part that is no longer found. */
export function rememberSince(now: () => number): (findings: readonly Finding[]) => Cause[] {
  let known = new Map<string, number>();
  return (findings) => {
    known = new Map(findings.map(({ what }) => [what, known.get(what) ?? now()]));
    return findings.map((finding) => ({
      what: finding.what,
      since: new Date(known.get(finding.what) ?? now()).toISOString(),
      detail: finding.detail,
    }));
  };
}
