/** Why a text is not a username, in words for its author. */
export interface UsernameFault {
  readonly fault: string;
}

export const MAX_USERNAME = 64;
/** The characters of usernames at the supported services. Escaped, none has a meaning in a URL. */
const ALLOWED = /^[\p{L}\p{M}\p{N}_.!~*'()+ -]+$/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** The typed username, trimmed; or its fault. */
export function readUsername(typed: string): string | UsernameFault {
  const name = typed.normalize('NFC').trim();
  if (name === '') return { fault: 'Enter your username.' };
  if (/^https?:|\//i.test(name)) return { fault: 'Enter your username only, not the address of your page.' };
  if (name.includes('@')) return { fault: 'Enter your username, not an e-mail address.' };
  if ([...name].length > MAX_USERNAME) return { fault: `A username has ${MAX_USERNAME} characters at most.` };
  if (!ALLOWED.test(name) || !LETTER_OR_DIGIT.test(name))
    return { fault: 'This does not look like a username. Enter it as your page there shows it.' };
  return name;
}
