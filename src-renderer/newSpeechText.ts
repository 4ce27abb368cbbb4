import { createStore } from 'zustand/vanilla'

/** A text that another room wants spoken: the Speech room takes it into its field and clears it here. */
export const speechTextStore = createStore<{ text: string | null }>(() => ({ text: null }))

/** Hands a text over to the Speech room; nothing is asked of the service for it. */
export const offerSpeechText = (text: string): void => speechTextStore.setState({ text })
