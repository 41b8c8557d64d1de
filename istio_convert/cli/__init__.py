"""The command line. Streams, files, colours and exit codes live here and nowhere else."""
