import { UserError } from '#pkg/object';

/** A server as typed (`host:port`, a URL, a URL with a path) as a base URL without trailing slash. */
export function serverAddress(text: string): string {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text) ?? [];
  if (scheme && !/^https?$/i.test(scheme)) {
    throw new UserError(
      `Unable to connect to the server: unsupported protocol scheme "${scheme.toLowerCase()}"`,
    );
  }
  // Without a scheme kubectl speaks plain text, and wants nothing after the port.
  const full = scheme ? text : `http://${text}`;
  const space = /\s/.exec(text.replace(/^https?:\/\//i, ''));
  if (space)
    throw new UserError(`Unable to connect to the server: invalid character "${space[0]}" in host name`);
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (!url || (!scheme && url.pathname !== '/')) {
    throw new UserError(`error: host must be a URL or a host:port pair: "${text}"`);
  }
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
}
