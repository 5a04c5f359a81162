/**
 * A path in a schema, from which a value comes. Paths grow as Go's slices do: two paths that extend the same one may share their storage,
 * and then the later one changes the earlier. Upstream's estimates depend on it.
 */
export class SourcePath {
  readonly #store: string[];
  readonly #capacity: number;
  readonly length: number;
  private constructor(store: string[], length: number, capacity: number) {
    this.#store = store;
    this.length = length;
    this.#capacity = capacity;
  }
  static readonly empty: SourcePath = new SourcePath([], 0, 0);
  static of(name: string): SourcePath {
    return new SourcePath([name], 1, 1);
  }
  get first(): string | undefined {
    return this.length === 0 ? undefined : this.#store[0];
  }
  /** Returns the path with one more step. */
  with(step: string): SourcePath {
    const { length } = this;
    if (length < this.#capacity) {
      this.#store[length] = step;
      return new SourcePath(this.#store, length + 1, this.#capacity);
    }
    return new SourcePath([...this.#store.slice(0, length), step], length + 1, Math.max(1, this.#capacity * 2));
  }
  /** Returns the steps as they are now. */
  steps(): readonly string[] {
    return this.#store.slice(0, this.length);
  }
}
