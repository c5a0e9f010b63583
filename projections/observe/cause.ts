/** Why a process cannot do its work, or is not fit to. */
export interface Cause {
  /** The part at fault, as in `database`. */
  readonly what: string;
  /** Since when it is known to be so, ISO 8601. */
  readonly since: string;
  readonly detail: string;
}

/** A cause without its time. */
export type Finding = Omit<Cause, 'since'>;

/** Remembers since when each part has been at fault; one that is found no more is forgotten. */
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
