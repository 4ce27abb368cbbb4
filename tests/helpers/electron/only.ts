import { EventEmitter } from 'node:events'

/** Returns `known` in a proxy that throws for every other member, so that a test never passes because of a missing one. */
export function only<T extends object>(name: string, known: T): T {
  const refuse = (key: string | symbol): never => {
    throw new Error(`The stand-in for electron does not know ${name}.${String(key)}`)
  }
  return new Proxy(known, {
    // Promises look for `then` on everything that they are given.
    get: (target, key, self) =>
      key in target || typeof key === 'symbol' || key === 'then' ? Reflect.get(target, key, self) : refuse(key),
    set: (target, key, value, self) => (key in target ? Reflect.set(target, key, value, self) : refuse(key)),
  })
}

/** An emitter that throws for listeners of unknown events. `known` is null: all events are allowed. */
export class Emitter extends EventEmitter {
  private readonly known: readonly string[] | null

  constructor(known: readonly string[] | null) {
    super()
    this.known = known
  }

  override on(event: string | symbol, listener: Parameters<EventEmitter['on']>[1]): this {
    if (this.known && !this.known.includes(String(event))) {
      throw new Error(`The stand-in for electron never emits "${String(event)}"`)
    }
    return super.on(event, listener)
  }

  override addListener(event: string | symbol, listener: Parameters<EventEmitter['on']>[1]): this {
    return this.on(event, listener)
  }
}

/** An event of Electron with these fields and `preventDefault`. */
export function electronEvent<T extends object>(fields: T): T & { defaultPrevented: boolean; preventDefault(): void } {
  return {
    ...fields,
    defaultPrevented: false,
    preventDefault() {
      this.defaultPrevented = true
    },
  }
}

/** Throws for an option that the stand-in does not implement. */
export function onlyKeys(what: string, given: object, known: readonly string[]): void {
  for (const key of Object.keys(given)) {
    if (!known.includes(key)) throw new Error(`The stand-in for electron does not know ${what}'s "${key}"`)
  }
}
