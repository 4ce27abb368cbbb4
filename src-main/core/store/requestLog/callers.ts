import type { Database } from '../database.ts'
import type { ReadHandle } from '../readOnly.ts'
import { number, text, textOrNull } from '../rows.ts'

/** A caller and a model. Rows refer to it by its id. */
export interface Caller {
  id: number
  /** `tool:<id>`, `studio:<feature>` or `stranger`. */
  who: string
  /** Null when the request named no model. */
  model: string | null
  /** Whether this entry covers all further models of the caller: their names are stored in the rows. */
  many: boolean
}

/**
 * Limit of entries, because an app that names a new model with each request must not fill the memory. Later models are stored only in the
 * rows.
 */
const mostCallers = 5000

/** The dictionary of callers: read completely at the start, then extended in memory. New entries are written with the next rows. */
export class Callers {
  readonly #byWho = new Map<string, Map<string | null, Caller>>()
  readonly #many = new Map<string, Caller>()
  readonly #byId = new Map<number, Caller>()
  #last = 0
  #unsaved: Caller[] = []
  readonly #most: number

  constructor(most = mostCallers) {
    this.#most = most
  }

  /** The caller of a request. For one with `many`, the row stores the model's name. */
  of(who: string, model: string | null): Caller {
    return this.#byWho.get(who)?.get(model) ?? this.#make(who, model)
  }

  /** The entry of exactly this model, or undefined. */
  known(who: string, model: string): Caller | undefined {
    return this.#byWho.get(who)?.get(model)
  }

  #make(who: string, model: string | null): Caller {
    const many = model !== null && this.#byId.size >= this.#most
    const known = many ? this.#many.get(who) : undefined
    if (known) return known
    const caller = { id: this.#last + 1, who, model: many ? null : model, many }
    this.add(caller)
    this.#unsaved.push(caller)
    return caller
  }

  add(caller: Caller): void {
    this.#last = Math.max(this.#last, caller.id)
    this.#byId.set(caller.id, caller)
    if (caller.many) {
      this.#many.set(caller.who, caller)
      return
    }
    const models = this.#byWho.get(caller.who) ?? new Map<string | null, Caller>()
    models.set(caller.model, caller)
    this.#byWho.set(caller.who, models)
  }

  get(id: number): Caller | null {
    return this.#byId.get(id) ?? null
  }

  all(): IterableIterator<Caller> {
    return this.#byId.values()
  }

  get last(): number {
    return this.#last
  }

  /** Writes new entries, inside the transaction of the rows that refer to them. Call `saved` when that is committed. */
  save(table: CallerTable): void {
    for (const caller of this.#unsaved) table.insert(caller)
  }

  saved(): void {
    if (this.#unsaved.length > 0) this.#unsaved = []
  }
}

export type CallerTable = ReturnType<typeof callerTable>

/** The read statements of `callerTable`. */
export function callerReader(handle: ReadHandle) {
  const after = handle.prepare('SELECT * FROM callers WHERE id > ? ORDER BY id')

  return {
    /** Entries with a higher id, in order. */
    after: (id: number): Caller[] =>
      after.all(id).map((row) => ({
        id: number(row, 'id'),
        who: text(row, 'who'),
        model: textOrNull(row, 'model'),
        many: number(row, 'many') === 1,
      })),
  }
}

export function callerTable({ handle }: Pick<Database, 'handle'>) {
  const insert = handle.prepare('INSERT OR REPLACE INTO callers (id, who, model, many) VALUES (?, ?, ?, ?)')

  return {
    ...callerReader(handle),
    insert: ({ id, who, model, many }: Caller): void => void insert.run(id, who, model, many ? 1 : 0),
  }
}
