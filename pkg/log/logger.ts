export type Fields = Readonly<Record<string, unknown>>;

export interface Logger {
  info(message: string, fields?: Fields): void;
  debug(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** A logger whose lines all carry these fields. */
  with(fields: Fields): Logger;
}

type Level = 'debug' | 'info' | 'error';

/** One JSON object a line. `write` gets the line without its end. */
export function jsonLogger(
  write: (line: string) => void,
  now: () => number,
  options: { readonly debug: boolean },
  common: Fields = {},
): Logger {
  const log = (level: Level, message: string, fields: Fields = {}): void => {
    const time = new Date(now()).toISOString();
    write(JSON.stringify({ time, level, msg: message, ...common, ...plain(fields) }));
  };
  return {
    info: (message, fields) => log('info', message, fields),
    debug: (message, fields) => {
      if (options.debug) log('debug', message, fields);
    },
    error: (message, fields) => log('error', message, fields),
    with: (fields) => jsonLogger(write, now, options, { ...common, ...plain(fields) }),
  };
}

export const silentLogger: Logger = {
  info: () => undefined,
  debug: () => undefined,
  error: () => undefined,
  with: () => silentLogger,
};

/** An Error has no enumerable fields: its message would be lost. */
function plain(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? messageOf(value) : value]),
  );
}

function messageOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${messageOf(error.cause)}` : error.message;
}
