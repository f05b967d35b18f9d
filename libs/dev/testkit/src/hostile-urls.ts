/**
 * Strings that are not URLs by RFC 3986, or that parsers interpret differently, each with a description: for every
 * place that accepts an https URL with this host.
 */
export function hostileUrls(host: string): [what: string, text: string][] {
  return [
    ['a carriage return', `https://${host}/a\rb`],
    ['a line feed at its end', `https://${host}/a\n`],
    ['a line feed in its host', `https://${host.slice(0, 1)}\n${host.slice(1)}/a`],
    ['a tab in its scheme', `ht\ttps://${host}/a`],
    ['NUL', `https://${host}/a\0`],
    ['a blank in it', `https://${host}/a b`],
    ['a blank before it', ` https://${host}/a`],
    ['a blank behind it', `https://${host}/a `],
    ['backslashes', `https:\\\\${host}\\a`],
    ['a backslash in its path', `https://${host}/a\\b`],
    ['no slashes', `https:${host}/a`],
    ['one slash', `https:/${host}/a`],
    ['three slashes', `https:///${host}/a`],
    ['a user', `https://user@${host}/a`],
    ['an empty user', `https://@${host}/a`],
    ['half a percent sign', `https://${host}/a%2`],
    ['a percent sign before other letters', `https://${host}/%zz`],
    ['a letter beyond ASCII', `https://${host}/ä`],
    ['curly brackets', `https://${host}/{a}`],
    ['an upper-case scheme', `HTTPS://${host}/a`],
    ['an upper-case host', `https://${host.toUpperCase()}/a`],
    ['the default port', `https://${host}:443/a`],
    ['dot segments', `https://${host}/b/../a`],
    ['encoded dot segments', `https://${host}/b/%2e%2E/a`],
    ['an encoded host', `https://%${host.charCodeAt(0).toString(16)}${host.slice(1)}/a`],
  ];
}
