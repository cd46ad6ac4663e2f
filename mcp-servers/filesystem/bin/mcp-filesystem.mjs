#!/usr/bin/env node
// Stands here, and not in the built code, so that an install before the first build links the command.
import '../dist/main.js';
