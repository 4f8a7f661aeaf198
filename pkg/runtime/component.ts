/** Something that works until it is told to stop. */
export interface Component {
  readonly name: string;
  /** Ends only after the signal is aborted, with all it started ended too; rejects if it cannot go on before that. */
  run(signal: AbortSignal): Promise<void>;
}
