import { createContext } from 'react'

/**
 * Where floating parts go: null is the page. Inside a modal dialog it is the dialog, since the browser draws that over everything
 * else and makes the rest inert.
 */
export const LayerContext = createContext<HTMLElement | null>(null)
