/** How many seats a level wanted in a period, for the seats that it borrows. Times in seconds. */

export interface DemandOfPeriod {
  readonly highest: number;
  readonly average: number;
  readonly deviation: number;
}

export class Demand {
  #value = 0;
  #since: number | undefined;
  #begun = 0;
  #sum = 0;
  #squares = 0;
  #highest = 0;

  /** The demand from now on. */
  set(value: number, now: number): void {
    this.#add(now);
    this.#value = value;
    if (value > this.#highest) this.#highest = value;
  }

  /** The period until now; the next one begins. */
  take(now: number): DemandOfPeriod {
    this.#add(now);
    const seconds = now - this.#begun, average = seconds > 0 ? this.#sum / seconds : this.#value;
    const variance = seconds > 0 ? Math.max(this.#squares / seconds - average * average, 0) : 0;
    const period = { highest: this.#highest, average, deviation: Math.sqrt(variance) };
    [this.#begun, this.#sum, this.#squares, this.#highest] = [now, 0, 0, this.#value];
    return period;
  }

  #add(now: number): void {
    if (this.#since === undefined) this.#begun = now;
    else {
      const seconds = now - this.#since;
      this.#sum += this.#value * seconds;
      this.#squares += this.#value * this.#value * seconds;
    }
    this.#since = now;
  }
}
