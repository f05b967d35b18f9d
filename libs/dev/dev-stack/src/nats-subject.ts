const FORBIDDEN = /[\s\0]/;

/** True for a subject that can be subscribed to: no empty token, no white space, `>` only as the last token. */
export function isSubscribable(subject: string): boolean {
  if (subject === '' || FORBIDDEN.test(subject)) return false;
  const tokens = subject.split('.');
  return tokens.every((token, index) => token !== '' && (token !== '>' || index === tokens.length - 1));
}

/** True for a subject without wildcard tokens. Only a whole token is a wildcard: `a*` is an ordinary one. */
export function isLiteral(subject: string): boolean {
  return !subject.split('.').some((token) => token === '*' || token === '>');
}

/** True if `pattern` (tokens, possibly wildcards) covers the published `subject` (tokens, taken literally). */
export function matchesSubject(pattern: readonly string[], subject: readonly string[]): boolean {
  for (const [index, token] of pattern.entries()) {
    if (token === '>') return subject.length > index;
    if (index >= subject.length || (token !== '*' && token !== subject[index])) return false;
  }
  return pattern.length === subject.length;
}
