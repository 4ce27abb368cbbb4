import type { TranscriptionFeature } from '../features/transcription/transcription.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import { done, type Implementer } from './implementer.ts'

/** Procedures about recordings and transcripts. */
export const transcriptionHandlers = (
  os: Implementer['transcription'],
  host: Host,
  transcription: TranscriptionFeature,
) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, transcription.watch(signal))),
  find: os.find.handler(({ input }) => transcription.find(input)),
  get: os.get.handler(({ input }) => transcription.get(input)),
  startRecording: os.startRecording.handler(({ input }) => transcription.begin(input)),
  holdRecording: os.holdRecording.handler(({ input, signal }) =>
    guarded(host, transcription.hold(input, signal ?? new AbortController().signal)),
  ),
  finishRecording: os.finishRecording.handler(({ input }) => transcription.finish(input)),
  discardRecording: os.discardRecording.handler(({ input }) => done(transcription.discard(input))),
  addFile: os.addFile.handler(({ input }) => transcription.addFile(input)),
  addSpeech: os.addSpeech.handler(({ input }) => transcription.addSpeech(input)),
  transcribe: os.transcribe.handler(({ input }) => transcription.transcribe(input)),
  cancel: os.cancel.handler(({ input }) => transcription.cancel(input)),
  edit: os.edit.handler(({ input }) => transcription.edit(input)),
  revert: os.revert.handler(({ input }) => transcription.revert(input)),
  rename: os.rename.handler(({ input }) => transcription.rename(input)),
  setDuration: os.setDuration.handler(({ input }) => done(transcription.measured(input))),
  save: os.save.handler(({ input }) => transcription.save(input)),
  saveAudio: os.saveAudio.handler(({ input }) => transcription.saveAudio(input)),
  remove: os.remove.handler(({ input }) => transcription.remove(input)),
  restore: os.restore.handler(({ input }) => transcription.restore(input)),
})
