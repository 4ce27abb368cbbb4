import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { AppQuestion } from '../../src-preload/contract/questions.ts'

/** The open questions of apps, oldest first. */
export const questionsStore = createStore<{ questions: readonly AppQuestion[] }>(() => ({ questions: [] }))
export const useQuestions = (): readonly AppQuestion[] => useStore(questionsStore, ({ questions }) => questions)
