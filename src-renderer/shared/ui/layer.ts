import { createContext } from 'react'

/**
 * Where floating parts are mounted: null is the page. Inside a modal dialog it is the dialog, because the browser draws the dialog over
 * everything else and makes the rest inert.
 */
export const LayerContext = createContext<HTMLElement | null>(null)
