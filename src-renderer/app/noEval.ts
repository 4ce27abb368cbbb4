import * as z from 'zod'

// Zod would try `new Function` to compile its parsers. The content security policy refuses and reports that. Must run before any schema is
// created.
z.config({ jitless: true })
