import type { Colour } from '../../../src-preload/contract/requests.ts'

/** A tool's name and colour as they are now. */
export interface AppName {
  id: string
  name: string
  colour: Colour
}

/** Names by key id. A key that is no longer there keeps its id as its name. */
export class AppNames {
  readonly #tools: () => readonly AppName[]
  #byId: Map<string, AppName> | null = null

  constructor(tools: () => readonly AppName[]) {
    this.#tools = tools
  }

  /** Read anew once in a turn of the event loop: a rename shows with the next look, a page of rows asks once. */
  of(id: string): AppName {
    if (this.#byId === null) {
      this.#byId = new Map(this.#tools().map((tool) => [tool.id, tool]))
      queueMicrotask(() => {
        this.#byId = null
      })
    }
    return this.#byId.get(id) ?? { id, name: id, colour: 'slate' }
  }
}
