import * as z from 'zod'

// Zod would try `new Function` to compile its parsers, which the content security policy refuses and reports. Told before any schema is built.
z.config({ jitless: true })
