// The search reads a word behind - as one that pages must not have; people type --missing to find an option.
document.addEventListener(
  "input",
  (event) => {
    const field = event.target;
    if (field instanceof HTMLInputElement && field.name === "query") {
      const text = field.value.replace(/(^|\s)-{1,2}(?=\w)/g, "$1");
      if (text !== field.value) field.value = text;
    }
  },
  true,
);
