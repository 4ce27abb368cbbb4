import type { ChatRoom } from '../chat/chat.ts'
import { choose } from '../chat/choose.ts'
import { duplicate } from '../chat/duplicate.ts'
import { goOn } from '../chat/goOn.ts'
import { remove } from '../chat/remove.ts'
import { restore } from '../chat/restore.ts'
import { retry } from '../chat/retry.ts'
import { saveDraft } from '../chat/saveDraft.ts'
import { send } from '../chat/send.ts'
import { saveSetup } from '../chat/setup.ts'
import { stop, stopAll } from '../chat/stop.ts'
import { update } from '../chat/update.ts'
import { watch } from '../chat/watch.ts'
import { watchList } from '../chat/watchList.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import { done, type Implementer } from './implementer.ts'

/** The chat room's part of the contract. */
export const chatHandlers = (os: Implementer['chat'], host: Host, chat: ChatRoom) => ({
  watchList: os.watchList.handler(({ signal }) => guarded(host, watchList(chat, signal))),
  watch: os.watch.handler(({ input, signal }) => guarded(host, watch(chat, input, signal))),
  send: os.send.handler(({ input }) => send(chat, input)),
  stop: os.stop.handler(({ input }) => stop(chat, input)),
  stopAll: os.stopAll.handler(({ input }) => stopAll(chat, input)),
  retry: os.retry.handler(({ input }) => retry(chat, input)),
  goOn: os.goOn.handler(({ input }) => goOn(chat, input)),
  choose: os.choose.handler(({ input }) => done(choose(chat, input))),
  saveSetup: os.saveSetup.handler(({ input }) => done(saveSetup(chat, input))),
  update: os.update.handler(({ input }) => done(update(chat, input))),
  duplicate: os.duplicate.handler(({ input }) => duplicate(chat, input)),
  saveDraft: os.saveDraft.handler(({ input }) => done(saveDraft(chat, input))),
  remove: os.remove.handler(({ input }) => done(remove(chat, input))),
  restore: os.restore.handler(({ input }) => done(restore(chat, input))),
})
