import { runTextAction, type TextActionsFeature } from '../features/textActions/textActions.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import type { Implementer } from './implementer.ts'

/** Procedure that runs actions on selected texts. */
export const textActionsHandlers = (os: Implementer['textActions'], host: Host, actions: TextActionsFeature) => ({
  run: os.run.handler(({ input, signal }) => guarded(host, runTextAction(actions, input, signal))),
})
