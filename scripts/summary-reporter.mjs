/** A vitest reporter that closes the run with one plain line, after the reasons for whatever was skipped. */
export default class SummaryReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const count = { passed: 0, failed: 0, skipped: 0 };
    const skipped = [];
    for (const module of modules) {
      count.failed += module.errors().length;
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state, note } = test.result();
        count[state === 'passed' || state === 'failed' ? state : 'skipped'] += 1;
        if (state !== 'passed' && state !== 'failed')
          skipped.push(`skipped: ${test.fullName}${note ? `: ${note}` : ''}`);
      }
    }
    count.failed += unhandledErrors.length;
    setImmediate(() => {
      for (const line of skipped) console.log(line);
      console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
    });
  }
}
