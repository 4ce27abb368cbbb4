import type { Programs } from '../features/programs/programs.ts'
import type { Implementer } from './implementer.ts'

/** Procedures about programs of this computer that Connect sets up. */
export const programsHandlers = (os: Implementer['programs'], programs: Programs) => ({
  list: os.list.handler(() => programs.list()),
  steps: os.steps.handler(({ input }) => programs.steps(input)),
  preview: os.preview.handler(({ input }) => programs.preview(input)),
  connect: os.connect.handler(({ input }) => programs.connect(input)),
  previewDisconnect: os.previewDisconnect.handler(({ input }) => programs.previewDisconnect(input)),
  disconnect: os.disconnect.handler(({ input }) => programs.disconnect(input)),
  rewrite: os.rewrite.handler(({ input }) => programs.rewrite(input)),
  try: os.try.handler(({ input, signal }) => programs.try(input, signal)),
})
