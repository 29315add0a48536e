"""From folders of files to rows: what is there, and what each file tells."""
