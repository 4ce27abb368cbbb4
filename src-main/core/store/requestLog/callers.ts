import type { Database } from '../database.ts'
import type { ReadHandle } from '../readOnly.ts'
import { number, text, textOrNull } from '../rows.ts'

/** Who asked for which model, once for all of their rows. */
export interface Caller {
  id: number
  /** `tool:<id>`, `studio:<room>` or `stranger`. */
  who: string
  /** Null where no model was named. */
  model: string | null
  /** Stands for all further models of this one: their names are in the rows. */
  many: boolean
}

/** A tool that names a new model with each request must not fill the memory: from here on its models are in the rows alone. */
const mostCallers = 5000

/** The dictionary of callers: read whole at the start, and grown in memory; `unsaved` goes into the database with the next rows. */
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

  /** The caller of a request; `many` ones keep the model's name in the row. */
  of(who: string, model: string | null): Caller {
    return this.#byWho.get(who)?.get(model) ?? this.#make(who, model)
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

  /** Writes the new ones, inside the transaction of the rows that name them. `saved` once that is committed. */
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
    /** Those with a higher id, in order. */
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
