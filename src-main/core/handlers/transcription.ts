import type { TranscriptionFeature } from '../features/transcription/transcription.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import { done, type Implementer } from './implementer.ts'

export const transcribeHandlers = (os: Implementer['transcribe'], host: Host, room: TranscriptionFeature) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, room.watch(signal))),
  find: os.find.handler(({ input }) => room.find(input)),
  get: os.get.handler(({ input }) => room.get(input)),
  begin: os.begin.handler(({ input }) => room.begin(input)),
  append: os.append.handler(({ input }) => room.append(input)),
  finish: os.finish.handler(({ input }) => room.finish(input)),
  discard: os.discard.handler(({ input }) => done(room.discard(input))),
  addFile: os.addFile.handler(({ input }) => room.addFile(input)),
  addSpeech: os.addSpeech.handler(({ input }) => room.addSpeech(input)),
  transcribe: os.transcribe.handler(({ input }) => room.transcribe(input)),
  cancel: os.cancel.handler(({ input }) => room.cancel(input)),
  edit: os.edit.handler(({ input }) => room.edit(input)),
  revert: os.revert.handler(({ input }) => room.revert(input)),
  rename: os.rename.handler(({ input }) => room.rename(input)),
  measured: os.measured.handler(({ input }) => done(room.measured(input))),
  save: os.save.handler(({ input }) => room.save(input)),
  saveAudio: os.saveAudio.handler(({ input }) => room.saveAudio(input)),
  remove: os.remove.handler(({ input }) => room.remove(input)),
  restore: os.restore.handler(({ input }) => room.restore(input)),
})
