/** What a text means; the words say it too. */
export type Tone = 'good' | 'bad' | 'unsure' | 'quiet' | 'strong';

/** What the output can show. */
export interface Style {
  readonly unicode: boolean;
  /** Columns of the terminal; absent when the output is not one, and is not to be folded. */
  readonly width?: number;
  paint(tone: Tone, text: string): string;
  /** Frames a verdict; absent when the output is not a terminal. */
  readonly box?: (text: string, tone: Tone) => string;
}

/** For pipes and files: no colour, no box. */
export const plainStyle: Style = { unicode: true, paint: (_tone, text) => text };
