import type { TranscriptionFeature } from '../features/transcription/transcription.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import { done, type Implementer } from './implementer.ts'

export const transcribeHandlers = (os: Implementer['transcribe'], host: Host, feature: TranscriptionFeature) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, feature.watch(signal))),
  find: os.find.handler(({ input }) => feature.find(input)),
  get: os.get.handler(({ input }) => feature.get(input)),
  begin: os.begin.handler(({ input }) => feature.begin(input)),
  append: os.append.handler(({ input }) => feature.append(input)),
  finish: os.finish.handler(({ input }) => feature.finish(input)),
  discard: os.discard.handler(({ input }) => done(feature.discard(input))),
  addFile: os.addFile.handler(({ input }) => feature.addFile(input)),
  addSpeech: os.addSpeech.handler(({ input }) => feature.addSpeech(input)),
  transcribe: os.transcribe.handler(({ input }) => feature.transcribe(input)),
  cancel: os.cancel.handler(({ input }) => feature.cancel(input)),
  edit: os.edit.handler(({ input }) => feature.edit(input)),
  revert: os.revert.handler(({ input }) => feature.revert(input)),
  rename: os.rename.handler(({ input }) => feature.rename(input)),
  measured: os.measured.handler(({ input }) => done(feature.measured(input))),
  save: os.save.handler(({ input }) => feature.save(input)),
  saveAudio: os.saveAudio.handler(({ input }) => feature.saveAudio(input)),
  remove: os.remove.handler(({ input }) => feature.remove(input)),
  restore: os.restore.handler(({ input }) => feature.restore(input)),
})
