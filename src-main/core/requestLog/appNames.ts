import type { Colour } from '../../../src-preload/contract/requests.ts'
import type { Requester } from '../ports/requests.ts'

/** An app's current name and colour. */
export interface AppName {
  id: string
  name: string
  colour: Colour
}

/** App names by id. A revoked app has its id as its name. */
export class AppNames {
  readonly #apps: () => readonly AppName[]
  #byId: Map<string, AppName> | null = null

  constructor(apps: () => readonly AppName[]) {
    this.#apps = apps
  }

  /** Reads the apps at most once per turn of the event loop. A page of rows then needs one read and still shows recent renames. */
  of(id: string): AppName {
    if (this.#byId === null) {
      this.#byId = new Map(this.#apps().map((app) => [app.id, app]))
      queueMicrotask(() => {
        this.#byId = null
      })
    }
    return this.#byId.get(id) ?? { id, name: id, colour: 'slate' }
  }
}

/** The caller in the log: `tool:ID` or `studio:FEATURE`. */
export function whoOf(requester: Requester): string {
  return requester.kind === 'app' ? `tool:${requester.id}` : `studio:${requester.feature}`
}
