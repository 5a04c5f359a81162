/** IPv4 addresses of a block, each given to one owner. */
import { parsePrefix } from "../../../core/net/address.ts";
import { Unreadable } from "../../../toolbox.ts";

/** Addresses of an IPv4 block by owner. The first and the last address of the block are not given. */
export class AddressBlock {
  readonly #base: number;
  readonly #size: number;
  readonly #byOwner = new Map<string, number>();
  readonly #taken = new Set<number>();
  #next = 1;

  /** @param base the first address as a number  @param size the number of addresses */
  constructor(base: number, size: number) {
    this.#base = base;
    this.#size = size;
  }

  /** Returns the block of a text such as `10.128.0.0/18`; undefined if it is no IPv4 block of at least 4 addresses. */
  static of(text: string): AddressBlock | undefined {
    const prefix = parsePrefix(text);
    if (prefix instanceof Unreadable || prefix.address.bytes.length !== 4 || prefix.bits > 30) return undefined;
    const [a = 0, b = 0, c = 0, d = 0] = prefix.address.bytes, size = 2 ** (32 - prefix.bits);
    const address = ((a * 256 + b) * 256 + c) * 256 + d;
    return new AddressBlock(address - address % size, size);
  }

  /** Returns the address of an owner, which is given one if it has none. Undefined if all are taken. */
  take(owner: string): string | undefined {
    const known = this.#byOwner.get(owner);
    if (known !== undefined) return addressText(this.#base + known);
    if (this.#taken.size >= this.#size - 2) return undefined;
    while (this.#taken.has(this.#next)) this.#next = this.#after(this.#next);
    const offset = this.#next;
    this.#next = this.#after(offset);
    this.#give(owner, offset);
    return addressText(this.#base + offset);
  }

  /** Whether an address is one of the block. */
  has(address: string): boolean {
    const offset = numberOf(address) - this.#base;
    return offset >= 1 && offset <= this.#size - 2;
  }

  /** Gives an owner an address that it has already. It has no effect for an address of another block or owner. */
  keep(owner: string, address: string): void {
    const offset = numberOf(address) - this.#base;
    if (!this.has(address) || this.#taken.has(offset) || this.#byOwner.has(owner)) return;
    this.#give(owner, offset);
  }

  /** Takes the address of an owner back. */
  release(owner: string): void {
    const offset = this.#byOwner.get(owner);
    if (offset === undefined) return;
    this.#byOwner.delete(owner);
    this.#taken.delete(offset);
  }

  #give(owner: string, offset: number): void {
    this.#byOwner.set(owner, offset);
    this.#taken.add(offset);
  }

  #after(offset: number): number {
    return offset >= this.#size - 2 ? 1 : offset + 1;
  }
}

/** The text of an address that is a number. */
export function addressText(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
}

/** The number of an IPv4 address; NaN for other texts. */
function numberOf(text: string): number {
  const parts = text.split(".");
  return parts.length === 4 ? parts.reduce((sum, part) => sum * 256 + Number(part), 0) : NaN;
}
