import type { Projects } from '../features/projects/projects.ts'
import { done, type Implementer } from './implementer.ts'

/** Procedures about pinned files of projects. */
export const projectsHandlers = (os: Implementer['projects'], projects: Projects) => ({
  pin: os.pin.handler(({ input }) => done(projects.pin(input))),
  unpin: os.unpin.handler(({ input }) => done(projects.unpin(input))),
  cost: os.cost.handler(({ input }) => projects.cost(input)),
  context: os.context.handler(({ input, signal }) => projects.context(input, signal)),
  source: os.source.handler(({ input }) => projects.source(input)),
})
