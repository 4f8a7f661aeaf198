/** The machine lacks what a control plane needs; not a failure of ours. `message` says what is missing. */
export class Unavailable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Unavailable';
  }
}
