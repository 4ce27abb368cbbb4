import type { Images } from '../features/images/images.ts'
import type { OutboxSender } from '../features/outbox/outbox.ts'
import type { Speeches } from '../features/speech/speeches.ts'
import type { TranscriptionFeature } from '../features/transcription/transcription.ts'

// How the outbox sends through the features. A feature's own request has no `what`.

export const imageSender = (images: Images): OutboxSender<'images'> => ({
  make: ({ what: _, ...request }, alongside) => images.make(request, alongside),
  has: images.has,
  over: images.over,
  takeBack: (id) => ({ what: 'images', ...images.takeBack(id) }),
})

export const speechSender = (speech: Speeches): OutboxSender<'speech'> => ({
  make: ({ what: _, ...request }, alongside) => speech.make(request, alongside),
  has: speech.has,
  over: speech.over,
  takeBack: (id) => ({ what: 'speech', ...speech.takeBack(id) }),
})

export const transcriptSender = (transcription: TranscriptionFeature): OutboxSender<'transcript'> => ({
  make: ({ what: _, ...request }, alongside) => transcription.transcribe(request, alongside),
  has: transcription.has,
  over: transcription.over,
  takeBack: (id) => ({ what: 'transcript', ...transcription.takeBack(id) }),
})
