/** New names of settings, by the old names that still work for one minor version. */
export type RenamedSettings = Readonly<Record<string, string>>;

/** The environment by new names. A new name wins over its old one. */
export function withNewNames(
  environment: NodeJS.ProcessEnv,
  renamed: RenamedSettings,
): Record<string, string | undefined> {
  const read = { ...environment };
  for (const [oldName, newName] of Object.entries(renamed)) {
    if (!read[newName]?.trim()) read[newName] = read[oldName];
    delete read[oldName];
  }
  return read;
}

/** The old names that gave settings their values, by new name. */
export const givenNames = (
  environment: NodeJS.ProcessEnv,
  renamed: RenamedSettings,
): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(renamed).flatMap(([oldName, newName]) =>
      environment[oldName]?.trim() && !environment[newName]?.trim() ? [[newName, oldName]] : [],
    ),
  );

/** A warning for each old name that is set. */
export const oldNameWarnings = (environment: NodeJS.ProcessEnv, renamed: RenamedSettings): string[] =>
  Object.entries(renamed).flatMap(([oldName, newName]) =>
    environment[oldName]?.trim() ? [`the setting ${oldName} was renamed: use ${newName}`] : [],
  );
