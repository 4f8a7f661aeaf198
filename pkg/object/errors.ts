/** Wrong input or a failure that the user can act on: printed as it is, on one line, without a stack. */
export class UserError extends Error {
  readonly exitCode: number;

  constructor(message: string, options: { readonly exitCode?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'UserError';
    this.exitCode = options.exitCode ?? 1;
  }
}
