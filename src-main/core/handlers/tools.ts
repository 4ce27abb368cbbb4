import type { ToolsFeature } from '../features/tools/tools.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import { done, type Implementer } from './implementer.ts'

/** Procedures about the tools that a model may call. */
export const toolsHandlers = (os: Implementer['tools'], host: Host, tools: ToolsFeature) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, tools.watch(signal))),
  saveFunction: os.saveFunction.handler(({ input }) => tools.saveFunction(input)),
  removeFunction: os.removeFunction.handler(({ input }) => done(tools.removeFunction(input.id))),
  saveServer: os.saveServer.handler(({ input }) => tools.saveServer(input)),
  removeServer: os.removeServer.handler(({ input }) => done(tools.removeServer(input.id))),
  switchServer: os.switchServer.handler(({ input }) => done(tools.switchServer(input.id, input.on))),
  signIn: os.signIn.handler(({ input }) => tools.signIn(input.id, input.client)),
  continueSignIn: os.continueSignIn.handler(({ input }) => done(tools.continueSignIn(input.id, input.address))),
  cancelSignIn: os.cancelSignIn.handler(({ input }) => done(tools.cancelSignIn(input.id))),
  signOut: os.signOut.handler(({ input }) => done(tools.signOut(input.id))),
  revokeApproval: os.revokeApproval.handler(({ input }) => done(tools.forget(input.toolId))),
  decideCall: os.decideCall.handler(({ input }) => done(tools.decide(input.messageId, input.allow, input.why))),
  enterResult: os.enterResult.handler(({ input }) => done(tools.answer(input.messageId, input.text, input.isError))),
  stopCall: os.stopCall.handler(({ input }) => tools.stopCall(input.messageId)),
  continueRounds: os.continueRounds.handler(({ input }) => tools.resume(input.messageId)),
})
